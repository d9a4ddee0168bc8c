import './base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { basePath } from './api/base.ts'
import { readText, storeText } from './api/storage.ts'
import { App } from './app.tsx'
import { preload } from './routes.tsx'
import { applyTheme } from './shell/theme.ts'

// A new release has other file names. Reload once to get its page.
addEventListener('vite:preloadError', (event) => {
  if (readText('sessionStorage', 'reloaded') === location.href) return
  if (!storeText('sessionStorage', 'reloaded', location.href)) return
  event.preventDefault()
  location.reload()
})
applyTheme()
preload(location.pathname.slice(basePath.length))
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
