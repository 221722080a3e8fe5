import { isIP } from 'node:net'

/** Networks that `hookline dev`, `demo` and `cluster` allow for webhooks. */
export const LOOPBACK_NETWORKS: readonly string[] = ['127.0.0.0/8', '::1/128']

export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host === '[::1]' ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}

/** Replaces 0.0.0.0 and [::] with loopback addresses. */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

export function pagesAt(adminUrl: string) {
  const url = reachableUrl(adminUrl)
  return { console: `${url}/console/`, apiReference: `${url}/api/docs` }
}
