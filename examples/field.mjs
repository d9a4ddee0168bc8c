import { readFileSync } from 'node:fs'

// field.mjs PATH < json: prints one member of a JSON document, for example `agents.0.pda`.
const path = process.argv[2].split('.')
const value = path.reduce((object, key) => object[key], JSON.parse(readFileSync(0, 'utf8')))
process.stdout.write(`${value}\n`)
