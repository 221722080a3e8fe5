/** Shorter secrets occur in ordinary text, and protect nothing. */
const MIN_SECRET = 4
/** How many nested encodings are decoded, such as JSON in HTML in a URL. */
const MAX_ENCODINGS = 3

/**
 * Masks secrets in a text, plain or encoded for URLs, HTML, JSON or JavaScript, including nested encodings. Each byte becomes one
 * asterisk, so the length in bytes does not change.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter((secret) => secret.length >= MIN_SECRET).flatMap(formsOf)
  if (forms.length === 0) return text
  let masked: Buffer | undefined
  let decoded: DecodedText | undefined = { bytes: bytesOf(text) }
  for (let times = 0; decoded !== undefined && times <= MAX_ENCODINGS; times++) {
    for (const [start, end] of placesOf(forms, decoded))
      masked = (masked ?? Buffer.from(text)).fill('*', start, end)
    decoded = decodedOnce(decoded)
  }
  return masked?.toString() ?? text
}

/** The forms in which a secret may appear, before characters are escaped. */
function formsOf(secret: string): string[] {
  const form = bytesOf(secret)
  const hex = Buffer.from(secret).toString('hex')
  const forms = [form, form.replaceAll(' ', '+'), hex, hex.toUpperCase()]
  // Base64 in both alphabets, without padding and without the prefix of Standard Webhooks.
  const unpadded = form.replace(/^whsec_/, '').replace(/=+$/, '')
  const unprefixed = [unpadded, unpadded.replaceAll('+', '-').replaceAll('/', '_')]
  return [...forms, ...unprefixed.filter(({ length }) => length >= MIN_SECRET)]
}

/** UTF-8 bytes, as characters up to U+00FF. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** A decoded text, with the place of each of its bytes in the original; without places, it is the original. */
interface DecodedText {
  readonly bytes: string
  readonly places?: { readonly starts: readonly number[]; readonly ends: readonly number[] }
}

function* placesOf(
  forms: readonly string[],
  { bytes, places }: DecodedText,
): Iterable<readonly [start: number, end: number]> {
  for (const form of forms)
    for (let at = bytes.indexOf(form); at !== -1; at = bytes.indexOf(form, at + form.length)) {
      const last = at + form.length - 1
      yield places === undefined ? [at, last + 1] : [places.starts[at]!, places.ends[last]!]
    }
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const ENCODED =
  /%(?<byte>[0-9a-f]{2})|&#x0{0,6}(?<hex>[0-9a-f]{1,6});|&#0{0,6}(?<decimal>\d{1,7});|&(?<name>amp|lt|gt|quot|apos);|(?<units>(?:\\u[0-9a-f]{4})+)|\\x(?<escape>[0-9a-f]{2})|\\(?<other>["'\\/])/gi

/** `undefined` if nothing is encoded. */
function decodedOnce({ bytes, places }: DecodedText): DecodedText | undefined {
  const next: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  const add = (text: string, start: number, length: number): void => {
    for (let index = 0; index < text.length; index++) {
      // The bytes of an encoded character have the same place.
      const [first, last] =
        length === 0 ? [start + index, start + index] : [start, start + length - 1]
      starts.push(places?.starts[first] ?? first)
      ends.push(places?.ends[last] ?? last + 1)
    }
    next.push(text)
  }
  let from = 0
  for (const match of bytes.matchAll(ENCODED)) {
    add(bytes.slice(from, match.index), from, 0)
    add(characterOf(match.groups!), match.index, match[0].length)
    from = match.index + match[0].length
  }
  if (from === 0) return undefined
  add(bytes.slice(from), from, 0)
  return { bytes: next.join(''), places: { starts, ends } }
}

function characterOf(encoded: Partial<Record<string, string>>): string {
  const { byte, hex, decimal, name, units, escape, other } = encoded
  if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16))
  if (name !== undefined) return NAMED[name.toLowerCase()]!
  if (other !== undefined) return other
  if (units !== undefined) {
    const codes = units.slice(2).split(/\\u/i)
    return bytesOf(String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16))))
  }
  const code = decimal === undefined ? Number.parseInt(hex ?? escape!, 16) : Number(decimal)
  return code > 0x10_ff_ff ? '?' : bytesOf(String.fromCodePoint(code))
}
