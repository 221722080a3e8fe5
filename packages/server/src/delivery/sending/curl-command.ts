/** Characters that a terminal would act on, or would not show. JSON escapes only some of them. */
const HIDDEN = /[^\x20-\x7e\p{L}\p{N}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}/u

/**
 * A command for `sh` that sends a request to a webhook with `headers`: the same bytes, whatever they contain. It has no
 * line break outside of its own form, and no character that a terminal hides, so that it can be pasted.
 */
export function curlCommand(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): string {
  // Without these two, curl would add the headers. Expect would make it wait before it sends the body.
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const options = ['Accept:', 'Expect:', ...lines].map((line) => `--header ${quoted(line)}`)
  const isVisible = !HIDDEN.test(body)
  const data = isVisible ? `--data-raw ${quoted(body)}` : '--data-binary @-'
  const curl = [
    // A URL may contain brackets, which curl would take for ranges.
    `curl --include --http1.1 --globoff --request POST ${quoted(url)}`,
    ...options,
    data,
  ].join(' \\\n  ')
  return isVisible ? curl : `printf '${octal(body)}' | ${curl}`
}

/** One word of a shell command. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The text as the format of `printf`, in printable ASCII without quotes. */
function octal(text: string): string {
  return Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte)
    const isPlain = byte >= 0x20 && byte < 0x7f && !`'\\%`.includes(character)
    return isPlain ? character : `\\${byte.toString(8).padStart(3, '0')}`
  }).join('')
}
