import './base.css'
import { basePath } from './api/base.ts'
import { preload } from './routes.ts'

// The code of the page is loaded beside React, not after it.
preload(location.pathname.slice(basePath.length))
void import('./root.tsx')
