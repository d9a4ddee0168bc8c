import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const COMPILER = 'clang-19'
const FLAGS = [
  '-target',
  'bpf',
  '-mcpu=v2',
  '-O2',
  '-fno-builtin',
  '-ffreestanding',
  '-fno-addrsig',
  '-fno-strict-aliasing',
  '-fno-ident',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-mllvm',
  '-bpf-stack-size=4096',
]

export function hasCompiler(): boolean {
  return spawnSync(COMPILER, ['--version']).status === 0
}

/** Compiles a program's one translation unit; the object holds no path of this machine. */
export function compile(sources: URL, unit = 'registry.c'): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'registry-'))
  try {
    const object = join(directory, 'registry.o')
    const result = spawnSync(COMPILER, [...FLAGS, '-c', unit, '-o', object], {
      cwd: fileURLToPath(sources),
      encoding: 'utf8',
    })
    if (result.status !== 0) throw new Error(`${COMPILER} failed:\n${result.stderr}`)
    return readFileSync(object)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
