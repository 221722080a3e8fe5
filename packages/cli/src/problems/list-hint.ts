/** The command that lists each kind of thing, by the noun that messages use. */
const LISTS: Readonly<Record<string, string>> = {
  source: 'sources list',
  destination: 'destinations list',
  event: 'events list',
  delivery: 'deliveries list',
  replay: 'replays list',
  deletion: 'deletions list',
  audience: 'audiences list',
  'computed trait': 'traits list',
  token: 'tokens list',
  'write key': 'sources list',
}

/** What helps where a message says that nothing has an id; nothing for other messages. */
export function listHint(message: string): { readonly hint?: string } {
  const noun = /^(?:No|The source has no such) ([a-z ]+?)(?: has\b|\.$)/.exec(message)?.[1] ?? ''
  return LISTS[noun] === undefined
    ? {}
    : { hint: `\`hookline ${LISTS[noun]}\` shows what there is.` }
}
