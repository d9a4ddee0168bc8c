import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const optionsOf = (command: readonly string[]): string[] => command.filter((each) => /^--[\w-]+=/.test(each))

test('the image starts Node with the options of npm start that limit memory', () => {
  const dockerfile = readFileSync(new URL('../../ops/Dockerfile', import.meta.url), 'utf8')
  const command = JSON.parse(/^CMD (\[.+\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[]
  expect(optionsOf(command)).toEqual(optionsOf(packageJson.scripts.start.split(' ')))
  expect(optionsOf(command)).not.toEqual([])
})
