// JavaScript, so that the Node 20 that installs the packages can run it too.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = new URL('.', import.meta.url)
const assets = new URL('dist/assets/', root)

await build({ root: fileURLToPath(root), logLevel: 'warn' })
const names = await readdir(assets)
await Promise.all(names.filter((name) => /\.(js|css)$/.test(name)).map(compress))

async function compress(name) {
  const content = await readFile(new URL(name, assets))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
  const [brotli, zipped] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content, { level: 9 }),
  ])
  await writeFile(new URL(`${name}.br`, assets), brotli)
  await writeFile(new URL(`${name}.gz`, assets), zipped)
}
