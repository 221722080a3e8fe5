import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** A shell function that replaces curl and prints its arguments, one per line. */
const CURL = String.raw`curl() { printf '%s\n' "$@"; }`

/** Parses the `curl` line in a shell, sends the request that curl would send, and returns the response. */
export async function sendAsPasted(line: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `${CURL}; ${line}`])
  const [, user, url, , header, , body] = stdout.split('\n') as [string, ...string[]]
  const [name, value] = header!.split(': ') as [string, string]
  const authorization = `Basic ${Buffer.from(user!).toString('base64')}`
  const response = await fetch(url!, {
    method: 'POST',
    headers: { authorization, [name]: value },
    body: body!,
  })
  return response.json()
}
