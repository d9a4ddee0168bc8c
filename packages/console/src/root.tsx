import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { Boundary } from './ui/boundary.tsx'
import { applyPreferences } from './shell/preferences.tsx'

applyPreferences()
// Between the scripts and the first render, the browser can do other work.
setTimeout(() =>
  createRoot(document.querySelector('#root')!).render(
    <Boundary part="page">
      <App />
    </Boundary>,
  ),
)
