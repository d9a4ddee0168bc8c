import { commandLinePage } from './command-line.ts'
import { endpointsPage } from './endpoints.ts'
import { errorsPage } from './errors.ts'
import { consoleEvents, eventsPage } from './events.ts'
import { limitsPage } from './limits.ts'
import { envExample, settingsPage } from './settings.ts'
import { consoleVerification } from './verification.ts'

/** The generated pages of docs/reference, `.env.example`, and the texts of the console. */
export async function referencePages(): Promise<Record<string, string>> {
  return {
    '.env.example': envExample(),
    'docs/reference/command-line.md': await commandLinePage(),
    'docs/reference/endpoints.md': await endpointsPage(),
    'docs/reference/errors.md': errorsPage(),
    'docs/reference/events.md': eventsPage(),
    'docs/reference/limits.md': limitsPage(),
    'docs/reference/settings.md': settingsPage(),
    'packages/console/src/pages/events/catalogue.generated.ts': consoleEvents(),
    'packages/console/src/pages/webhooks/receivers.generated.ts': consoleVerification(),
  }
}
