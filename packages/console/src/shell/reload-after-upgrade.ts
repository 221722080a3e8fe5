const KEY = 'hookline-reloaded-at'
const APART_MS = 60_000

/**
 * A new version of the service has other files: a tab that is still open cannot fetch the next page from the old ones. It
 * then loads the console anew, at most once a minute.
 */
export function reloadAfterUpgrade(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(KEY) ?? 0)
    if (Date.now() - last < APART_MS) return
    event.preventDefault()
    sessionStorage.setItem(KEY, String(Date.now()))
    location.reload()
  })
}
