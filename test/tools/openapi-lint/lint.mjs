// Prints what Redocly (ruleset `recommended`) and Spectral (ruleset `oas`) report about the
// OpenAPI document on standard input. Ends with status 1 if there is anything.
import { text } from 'node:stream/consumers'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

const { Spectral } = spectralCore
const print = (line) => process.stdout.write(`${line}\n`)
const source = await text(process.stdin)

const config = await createConfig({ extends: ['recommended'] })
const redocly = await lintFromString({ source, absoluteRef: 'openapi.json', config })
for (const { severity, ruleId, message, location } of redocly)
  print(`Redocly ${severity} ${ruleId} ${location[0]?.pointer}: ${message}`)

const spectral = new Spectral()
spectral.setRuleset({ extends: [[rulesets.oas, 'recommended']] })
const found = await spectral.run(JSON.parse(source))
for (const { severity, code, message, path } of found)
  print(`Spectral ${severity} ${code} ${path.join('/')}: ${message}`)

const count = redocly.length + found.length
if (count > 0) process.exitCode = 1
print(`Redocly and Spectral report ${count === 0 ? 'nothing' : `${count} problems`}.`)
