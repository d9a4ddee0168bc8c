import { DomainError } from '../domain/errors.ts'

/** Throws FIELD_REQUIRED for text that is missing or empty. */
export function required(parameter: string, value: string | null | undefined): string {
  if (value === undefined || value === null || value === '')
    throw new DomainError('FIELD_REQUIRED', { parameter })
  return value
}
