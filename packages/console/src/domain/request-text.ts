interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body: string
}

export function requestText({ method, path, headers, body }: HttpRequest): string {
  const lines = headers.map(({ name, value }) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', indentJson(body)].join('\n')
}

/** Indents JSON; returns other text unchanged. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
