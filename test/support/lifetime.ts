import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

const ENDINGS = ['close', 'remove', 'drop', 'stop', 'end'] as const

/** What a file needs: created before its first test, and ended after its last one. */
export const perFile = <Value extends object>(create: () => Value | Promise<Value>): Value =>
  during(beforeAll, afterAll, create)

/** What each test needs: created before it and ended after it. */
export const perTest = <Value extends object>(create: () => Value | Promise<Value>): Value =>
  during(beforeEach, afterEach, create)

/** Stands for the value that the hook creates. The first that was created ends last. */
function during<Value extends object>(
  before: typeof beforeAll | typeof beforeEach,
  after: typeof afterAll | typeof afterEach,
  create: () => Value | Promise<Value>,
): Value {
  let current: Value | undefined
  before(async () => void (current = await create()))
  after(async () => {
    const value = current as Partial<Record<string, () => unknown>> | undefined
    const ending = ENDINGS.find((name) => typeof value?.[name] === 'function')
    if (ending !== undefined) await value![ending]!()
  })
  const get = (): Value => {
    if (current === undefined) throw new Error('it exists only while tests run')
    return current
  }
  return new Proxy({} as Value, {
    get: (_, name) => {
      const member: unknown = Reflect.get(get(), name)
      return typeof member === 'function' ? (member.bind(get()) as unknown) : member
    },
    set: (_, name, member) => Reflect.set(get(), name, member),
    has: (_, name) => name in get(),
    getPrototypeOf: () => Reflect.getPrototypeOf(get()),
    // The spread operator copies its members.
    ownKeys: () => Reflect.ownKeys(get()),
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(get(), name)
      return found && { ...found, configurable: true }
    },
  })
}
