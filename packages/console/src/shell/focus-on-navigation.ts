import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'

let isHistory = false
// In the capture phase, to know it before the router shows the other page.
addEventListener('popstate', () => (isHistory = true), true)

/**
 * Screen readers and keyboards start at the heading of a new page, not where the link was. For the
 * back button the browser restores the position itself.
 */
export function FocusOnNavigation() {
  const [path] = useLocation()
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return undefined
    before.current = path
    if (!isHistory) scrollTo(0, 0)
    isHistory = false
    if (focusHeading()) return undefined
    // The code of the page is on its way.
    const observer = new MutationObserver(() => focusHeading() && observer.disconnect())
    observer.observe(document.querySelector('#content')!, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [path])
  return null
}

/** Whether the heading is there. It takes no focus from somebody who types. */
function focusHeading(): boolean {
  const heading = document.querySelector<HTMLElement>('h1')
  if (document.activeElement?.matches('input, textarea, select') !== true) {
    heading?.focus({ preventScroll: true })
  }
  return heading !== null
}
