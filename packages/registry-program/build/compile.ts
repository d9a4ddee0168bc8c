import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { link } from './linker/link.ts'

const COMPILER = 'clang-19'
const FLAGS =
  '-target bpf -mcpu=v2 -O2 -fno-builtin -ffreestanding -fno-addrsig -fno-strict-aliasing -fno-ident ' +
  '-Wall -Wextra -Werror -mllvm -bpf-stack-size=4096'

export function hasCompiler(): boolean {
  return spawnSync(COMPILER, ['--version']).status === 0
}

/** Compiles and links a program. `unit` is its C file in the folder `sources`. */
export function buildProgram(sources: URL, unit = 'registry.c'): Buffer {
  return link(compile(sources, unit))
}

// Runs in the folder of the sources, so that the object holds no path of this machine.
function compile(sources: URL, unit: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'registry-'))
  try {
    const object = join(folder, 'program.o')
    const result = spawnSync(COMPILER, [...FLAGS.split(' '), '-c', unit, '-o', object], {
      cwd: fileURLToPath(sources),
      encoding: 'utf8',
    })
    if (result.error !== undefined) throw new Error(`${COMPILER} is not installed`, { cause: result.error })
    if (result.status !== 0) throw new Error(`${COMPILER} failed:\n${result.stderr}`)
    return readFileSync(object)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
