import { readText, storeText } from './storage.ts'

const RELOADED = 'reloaded'

/** Whether this page was reloaded because a part of it did not load. It is not reloaded again. */
export const wasReloaded = (): boolean => readText('sessionStorage', RELOADED) === location.href

/** For a page that has loaded: it may be reloaded again. */
export const forgetReload = (): boolean => storeText('sessionStorage', RELOADED, null)

/** Reloads the page if the service answers. After a new release, the files have other names. */
export async function reloadIfAnswering(): Promise<void> {
  const response = await fetch(document.baseURI, { cache: 'no-store' }).catch(() => null)
  if (response?.ok === true && storeText('sessionStorage', RELOADED, location.href)) location.reload()
}
