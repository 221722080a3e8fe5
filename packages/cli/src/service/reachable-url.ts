/** The address of a service as this machine reaches it: one that listens everywhere is on loopback too. */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
