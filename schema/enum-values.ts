import { builder, type Types } from './builder.ts'

/** The name of a text in the schema: CREATED_AT for `created_at`. */
export function enumName(text: string): string {
  return text
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll(/[.-]/g, '_')
    .toUpperCase()
}

/**
 * An enum of the texts that have a description: the compiler reports one that a row can have and
 * the enum has not. Services, REST and tools use the texts, and GraphQL clients their names. With
 * `model`, OpenAPI has the enum once, under this name.
 */
export function enumType<Value extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<Value, string>>,
  model?: string,
) {
  const values = Object.entries<string>(descriptions).map(([value, meaning]) => [
    enumName(value),
    { value, description: meaning },
  ])
  return builder.enumType(name, {
    description,
    extensions: { model },
    values: Object.fromEntries(values) as Record<string, { value: Value }>,
  }) as unknown as PothosSchemaTypes.EnumRef<Types, Value>
}

/** AgentTierUpdated for agent.tier_updated. */
export function eventName(type: string): string {
  return type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())
}

export const eventTypeName = (type: string): string => `${eventName(type)}Event`
