import './base.css'
import { basePath } from './api/base.ts'
import { reloadIfAnswering, reloadSeconds } from './api/reload.ts'
import { preload } from './routes.ts'

// The code of the page is loaded beside the rest, not after it.
preload(location.pathname.slice(basePath.length))
import('./root.tsx').catch(() => {
  document.querySelector('.first')!.textContent = 'Agent Registry could not be loaded. Trying again …'
  setInterval(reloadIfAnswering, reloadSeconds() * 1_000)
})
