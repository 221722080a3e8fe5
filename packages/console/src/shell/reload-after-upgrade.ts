const KEY = 'hookline-reloaded-at'
const MIN_INTERVAL_MS = 60_000

/** After an upgrade, an open tab cannot load pages of its old version. Reloads it, at most once a minute. */
export function reloadAfterUpgrade(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(KEY) ?? 0)
    if (Date.now() - last < MIN_INTERVAL_MS) return
    event.preventDefault()
    sessionStorage.setItem(KEY, String(Date.now()))
    location.reload()
  })
}
