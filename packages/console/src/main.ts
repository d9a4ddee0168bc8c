import './base.css'
import { basePath } from './api/base.ts'
import { reloadIfAnswering, wasReloaded } from './api/reload.ts'
import { preload } from './routes.ts'

const RETRY_MS = 3_000

// The code of the page is loaded beside the rest, not after it.
preload(location.pathname.slice(basePath.length))
import('./root.tsx').catch(() => {
  const next = wasReloaded() ? 'Reload the page to try again.' : 'Trying again …'
  document.querySelector('.first')!.textContent = `Agent Registry could not be loaded. ${next}`
  if (!wasReloaded()) setInterval(reloadIfAnswering, RETRY_MS)
})
