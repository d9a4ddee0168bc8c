import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { openApiDocument } from '../../../docs/build/openapi-document.ts'
import { installedTools } from '../install.ts'

// Lints the OpenAPI document. The linters have many packages, so they are not those of the project.
const { status } = spawnSync(process.execPath, [join(installedTools('openapi-lint'), 'lint.mjs')], {
  input: JSON.stringify(await openApiDocument()),
  stdio: ['pipe', 'inherit', 'inherit'],
})
process.exitCode = status ?? 1
