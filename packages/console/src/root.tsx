import './base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { basePath } from './api/base.ts'
import { App } from './app.tsx'
import { Boundary } from './ui/boundary.tsx'
import { preload } from './routes.tsx'
import { applyTheme } from './shell/theme.ts'

applyTheme()
preload(location.pathname.slice(basePath.length))
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <Boundary part="page">
      <App />
    </Boundary>
  </StrictMode>,
)
