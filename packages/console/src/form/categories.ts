import type { ServiceCategory as ClientCategory } from '@agent-registry/client'
import type { ServiceCategory } from '../pages/agents/page.generated.ts'

/** The name of a category in the client: `dataAnalysis` for DATA_ANALYSIS. */
export function clientCategory(category: ServiceCategory): ClientCategory {
  const name = category.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return name as ClientCategory
}
