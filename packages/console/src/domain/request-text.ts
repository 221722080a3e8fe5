interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body: string
}

/** A request as text: its first line, its headers, its body. A JSON body is indented. */
export function requestText({ method, path, headers, body }: HttpRequest): string {
  const lines = headers.map(({ name, value }) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', indented(body)].join('\n')
}

/** JSON with its lines indented; every other text as it is. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
