import { isIP } from 'node:net'

/** The networks of this machine alone. Only `hookline dev` and `demo` allow webhooks to reach them. */
export const LOOPBACK_NETWORKS: readonly string[] = ['127.0.0.0/8', '::1/128']

/** Whether a host name or address, as it stands in a URL, is this machine. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host === '[::1]' ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}

/** The URL under which this machine reaches a service: 0.0.0.0 and [::] become loopback addresses. */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** The pages for people, at the URL of the management API. */
export function pagesAt(adminUrl: string): {
  readonly console: string
  readonly apiReference: string
} {
  const url = reachableUrl(adminUrl)
  return { console: `${url}/console/`, apiReference: `${url}/api/docs` }
}
