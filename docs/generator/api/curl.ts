import type { JsonObject } from '@hookline/protocol'

interface CurlOptions {
  /** Arguments that send the write key. */
  readonly key?: string
  /** Further arguments. */
  readonly more?: readonly string[]
}

/** A command that sends a body as JSON. A reader pastes it into a shell. */
export function curl(
  path: string,
  body: JsonObject,
  { key = '-u wk_…:', more = [] }: CurlOptions = {},
): string {
  const url = `http://127.0.0.1:4800${path}`
  const json = JSON.stringify(body)
  if (json.includes("'")) throw new Error('The shell would end the text at an apostrophe.')
  const lines = [
    ['curl', key, path.includes('?') ? `'${url}'` : url].filter((word) => word !== '').join(' '),
    "-H 'Content-Type: application/json'",
    ...more,
    `-d '${json}'`,
  ]
  return lines.join(' \\\n  ')
}
