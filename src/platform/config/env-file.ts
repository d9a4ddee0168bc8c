import { existsSync } from 'node:fs'

/** Adds what `.env` in the current folder sets; the environment itself comes first. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}
