import { readFileSync } from 'node:fs'
import { createFromRoot } from 'codama'
import { rootNodeFromAnchor } from '@codama/nodes-from-anchor'
import { renderVisitor } from '@codama/renderers-js'

// codama.mjs IDL FOLDER: writes Codama's client of a program.
const [idl, folder] = process.argv.slice(2)
const codama = createFromRoot(rootNodeFromAnchor(JSON.parse(readFileSync(idl, 'utf8'))))
await codama.accept(renderVisitor(folder, { formatCode: false, syncPackageJson: false }))
