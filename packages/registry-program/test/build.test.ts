import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { buildProgram, hasCompiler } from '../build/compile.ts'
import { link } from '../build/linker/link.ts'

const SOURCES = new URL('../program/', import.meta.url)
const PROGRAM = new URL('../registry.so', import.meta.url)

describe.skipIf(!hasCompiler())('the build', () => {
  it('produces the committed bytes in another directory', () => {
    const directory = mkdtempSync(join(tmpdir(), 'elsewhere-'))
    try {
      cpSync(SOURCES, directory, { recursive: true })
      const built = buildProgram(pathToFileURL(`${directory}/`))
      expect(built.equals(readFileSync(PROGRAM))).toBe(true)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})

describe('the linker', () => {
  it('refuses files that are not relocatable BPF objects', () => {
    expect(() => link(Buffer.from('not an ELF file at all'))).toThrow('not an ELF file')
    expect(() => link(readFileSync(PROGRAM))).toThrow('not a relocatable BPF object')
  })
})

describe('the program', () => {
  it('contains no path of the machine that built it', () => {
    const text = readFileSync(PROGRAM).toString('latin1')
    expect(text).not.toMatch(/\.[ch]\b|\/(?:home|root|tmp|usr|work)\b|clang/)
  })
})
