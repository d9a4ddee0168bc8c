import { existsSync } from 'node:fs'

/** Loads `.env` from the current folder. Variables of the environment take precedence. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}
