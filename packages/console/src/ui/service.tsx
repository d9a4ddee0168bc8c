import { ConsoleInfoDocument, type ConsoleInfoQuery } from '../api/service.generated.ts'
import { useRead } from './read.tsx'

/** What the gateway says about itself. */
export type Service = ConsoleInfoQuery['info']

export const useService = () => useRead({ query: ConsoleInfoDocument, requestPolicy: 'cache-first' })
