import { isJsonObject, type Json, type JsonObject, LIMITS, URL_FIELDS } from '@hookline/protocol'

const PROPERTY = 'properties.'
const FIELDS = [...URL_FIELDS, String.raw`properties\.[\w-]{1,64}`].join('|')
/** With the field as a group: `split` returns text and fields alternately. */
const TEMPLATE = new RegExp(String.raw`\{\{(${FIELDS})\}\}`)
const ENCODED = new RegExp(`(?:\\{|%7[Bb]){2}(${FIELDS})(?:\\}|%7[Dd]){2}`, 'g')
const NOT_A_FIELD = new RegExp(String.raw`\{\{(?!(?:${FIELDS})\}\})[^{}]{0,40}\}{0,2}`)
/** The scheme, the user info, the host and the port. The URL parser also accepts backslashes. */
const ORIGIN = /^[^/\\?#]*(?:[/\\]{2}[^/\\?#]*)?/

/** A path segment `.` or `..`, even one that appears only after the receiver decodes slashes and dots. */
const DOT_SEGMENT = /(?:\/|%2F|%5C)(?:\.|%2E){1,2}(?:\/|%2F|%5C|$)/i

export function hasTemplate(url: string): boolean {
  return url.includes('{{')
}

/** Restores the placeholders in a URL from a URL parser, which encodes braces in a path. */
export function withReadableTemplates(href: string): string {
  const { origin, rest } = parts(href)
  return origin + rest.replaceAll(ENCODED, '{{$1}}')
}

/** Why a placeholder in a URL, as entered, is invalid: it is in the origin, or does not name a field. `undefined` if all are valid. */
export function invalidTemplate(
  text: string,
):
  | { readonly kind: 'misplaced' }
  | { readonly kind: 'unknown'; readonly template: string }
  | undefined {
  // The URL parser removes these characters, so they could hide a placeholder.
  const { origin, rest } = parts(text.replaceAll(/[\t\n\r]/g, ''))
  // It also decodes the host.
  const host = URL.parse(text)?.host ?? ''
  if (hasTemplate(origin) || hasTemplate(host)) return { kind: 'misplaced' }
  const template = NOT_A_FIELD.exec(rest)?.[0]
  return template === undefined ? undefined : { kind: 'unknown', template }
}

/** The URL with its placeholders replaced by values from the payload, or why it cannot be sent. */
export function filledUrl(
  url: string,
  payload: JsonObject,
): { readonly url: string } | { readonly error: string } {
  const { origin, rest } = parts(url)
  let filled = ''
  for (const [index, part] of rest.split(TEMPLATE).entries()) {
    filled += index % 2 === 0 ? part : encodeValue(valueOf(payload, part))
    if (origin.length + filled.length > MAX_CHARACTERS) return { error: TOO_LONG }
  }
  const [path = ''] = filled.split('?', 1)
  return DOT_SEGMENT.test(path) ? { error: CLIMBS } : { url: origin + filled }
}

/** Whether some values would turn the template into the URL. */
export function canBeFilledTo(template: string, url: string): boolean {
  if (!hasTemplate(template)) return template === url
  const [start = '', ...texts] = template.split(TEMPLATE).filter((_, index) => index % 2 === 0)
  const end = texts.pop() ?? ''
  let from = start.length
  for (const text of texts) {
    const at = url.indexOf(text, from)
    if (at === -1) return false
    from = at + text.length
  }
  return url.startsWith(start) && url.endsWith(end) && url.length - end.length >= from
}

const MAX_CHARACTERS = LIMITS.filledUrlCharacters
const TOO_LONG = `With the event's values, the URL is longer than ${MAX_CHARACTERS} characters.`
const CLIMBS = 'With the event\'s values, the URL\'s path contains a "." or ".." segment.'

function parts(url: string) {
  const [origin = ''] = ORIGIN.exec(url) ?? []
  return { origin, rest: url.slice(origin.length) }
}

/** Empty if it is missing or not a string. Payloads of alias calls have another name for the userId. */
function valueOf(payload: JsonObject, field: string): string {
  const value = field.startsWith(PROPERTY)
    ? propertyOf(payload, field.slice(PROPERTY.length))
    : (payload[field] ?? (field === 'userId' ? payload['User ID'] : undefined))
  return typeof value === 'string' ? value : ''
}

function propertyOf({ properties }: JsonObject, name: string): Json | undefined {
  return isJsonObject(properties) ? properties[name] : undefined
}

/** Encodes everything but letters, digits and `-_.~`, so that a URL parser does not change it. */
function encodeValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
