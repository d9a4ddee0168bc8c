/** `npm run bench -- NAME`: each bench is a folder with a main.ts that measures, prints and keeps its result. */
const BENCHES = [
  'reads',
  'relay',
  'catch-up',
  'visibility',
  'webhooks',
  'credentials',
  'starvation',
  'graphql-attacks',
] as const

const [name = 'reads'] = process.argv.slice(2)
const known = BENCHES.find((each) => each === name)
if (known === undefined) {
  process.stderr.write(`Unknown bench ${name}. Known: ${BENCHES.join(', ')}\n`)
  process.exitCode = 1
} else {
  await import(`./${known}/main.ts`)
}
