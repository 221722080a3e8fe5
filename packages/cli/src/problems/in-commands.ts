/** The command that does what a route of the management API does. */
const COMMANDS: Readonly<Record<string, string>> = {
  'GET /sources': 'sources list',
  'POST /sources': 'sources create <name>',
  'POST /sources/:id/write-keys': 'sources add-key <id>',
  'GET /destinations': 'destinations list',
  'POST /destinations': 'destinations create',
  'POST /destinations/:id/pause': 'destinations pause <id>',
  'POST /destinations/:id/resume': 'destinations resume <id>',
  'POST /destinations/:id/close-breaker': 'destinations close-breaker <id>',
  'POST /destinations/:id/test': 'destinations test <id>',
  'PATCH /sources/:id': 'sources update <id>',
  'GET /events': 'events list',
  'GET /events/:id': 'trace <id>',
  'GET /suppressions': 'suppressions list',
  'DELETE /suppressions?userId=': 'suppressions delete <userId>',
  'GET /deletions': 'deletions list',
  'POST /v1/track': 'send',
  'GET /deliveries?waiting=true': 'deliveries list --waiting',
  'POST /deliveries/:id/retry': 'deliveries retry <id>',
  'POST /audiences': 'audiences create <name>',
  'GET /audiences/:id/members': 'audiences members <id>',
  'POST /traits': 'traits create <name>',
  'POST /tokens': 'tokens create <name>',
  'POST /sign-in-links': 'console',
  'GET /export': 'export',
}

const ROUTE = /\b((?:GET|POST|PUT|PATCH|DELETE) )(?:\/api\/v1)?(\/[\w:/?=-]*\w)/g

/** What the texts of the API say, and what the command says. After routes have become commands. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /PATCH (?:\/destinations\/:id with )?\{"enabled": true\}/g,
    '`hookline destinations enable <id>`',
  ],
  [/(`hookline sources update <id>)` with \{"enabled": true\}/g, '$1 --enabled`'],
  [/\bwith the eventId sends\b/g, 'with --event sends'],
  [/\bincludeDeclined\b/g, '--include-declined'],
  [/\bmanual: true\b/g, '--manual'],
  [/\bSend it in the body\./g, 'Leave it out.'],
  [/ or \/resume\b/g, ' or `hookline destinations resume <id>`'],
  [/, remove them with DELETE\b/g, ', remove them with `hookline sources remove-key <id> <key>`'],
  [/\bSend `hookline/g, 'Use `hookline'],
  [/(`hookline \w+ list`) lists\b/g, '$1 shows'],
  [/\bAs for (`hookline [^`]+`)/g, 'As $1 makes it'],
  [/\bthe response to (`hookline export`)/g, 'the document of $1'],
  [/\/readyz reports\b/g, '`hookline doctor` reports'],
]

const HTTP =
  /\b(?:GET|POST|PUT|PATCH|DELETE)\b|\/api\/|\/readyz|\b[Bb]ody\b|\b[Qq]uery\b|\bJSON Pointer|\bIf-Match\b|\bETag\b|\bIdempotency-Key\b/

/** Whether a text speaks of HTTP, which means nothing to the user of a command. */
export function speaksHttp(text: string): boolean {
  return HTTP.test(text)
}

/** A text of the management API with commands in place of routes. It names the destination where the id is known. */
export function inCommands(
  text: string,
  { destination = '<id>' }: { readonly destination?: string } = {},
): string {
  const named = text.replaceAll(ROUTE, (all, method: string, path: string) => {
    const command = COMMANDS[method + path]
    return command === undefined ? all : `\`hookline ${command}\``
  })
  const all = WORDS.reduce((so, [pattern, word]) => so.replaceAll(pattern, word), named)
  return all.replaceAll(/(`hookline destinations [\w-]+ )<id>/g, `$1${destination}`)
}
