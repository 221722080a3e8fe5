import type { FailureDetail } from '../failure.ts'
import { listHint } from './list-hint.ts'
import { inCommands, speaksHttp } from './in-commands.ts'

type Words = Partial<Pick<FailureDetail, 'message' | 'hint'>>

const WEBHOOKS: Words = {
  message: 'A destination has 1 to 5 webhooks.',
  hint: 'Give each with --webhook <url>.',
}

/** The faults whose text is about JSON, by place and code; and what a user of flags can do about them. */
const WORDS: Readonly<Record<string, Words>> = {
  '/settings required': WEBHOOKS,
  '/settings/webhooks required': WEBHOOKS,
  '/settings/webhooks too_few': WEBHOOKS,
  '/settings/webhooks too_many': WEBHOOKS,
  '/settings/sharedSecret empty': {
    hint: 'Give a text. --no-secret sends requests without a signature.',
  },
  '/secret empty': { hint: 'Give a text.' },
  '/userIds required': {
    message: 'No user is named.',
    hint: 'Give userIds, or anonymousIds with --anonymous-id.',
  },
  '/type required': { message: 'There is nothing to send.', hint: 'Give --type or --event.' },
  '/eventId unknown_event': {
    hint: '`hookline events list --source <id>` shows the events of the source of this destination.',
  },
  '/condition required': {
    message: 'An audience needs a condition or --manual.',
    hint: 'Give a file with the condition, or --manual for an audience whose members are a list.',
  },
  '/condition exclusive': { hint: 'Leave out --condition or --manual.' },
  '/compute required': { hint: 'Give a file that says how the value is computed.' },
}

/** The same for codes that may appear at any place. */
const WORDS_OF_CODES: Readonly<Record<string, Words>> = {
  credentials_in_url: { hint: 'Give them as a header: --header "Authorization: …".' },
  port_not_allowed: {
    hint: 'Give the port of a web server. If one listens there, allow it: `hookline start --allowed-ports <port>`.',
  },
}

/** Ids that were given with flags. Those inside of a document are a fault of the document. */
const GIVEN_ID = /^\/(?:sourceId|destinationId|eventId|(?:source|destination)Ids\/\d+)$/

/** Whether a fault says that nothing has an id that the user gave. */
export function isUnknownId({ code, pointer }: FailureDetail): boolean {
  return code.startsWith('unknown_') && GIVEN_ID.test(pointer)
}

/** The message and the hint of a fault for people who gave values with flags. They never speak of HTTP. */
export function faultWords(fault: FailureDetail): Required<Words> {
  const { pointer, code, message, hint } = fault
  const list = isUnknownId(fault) ? listHint(message) : {}
  const own = { ...list, ...WORDS_OF_CODES[code], ...WORDS[`${pointer} ${code}`] }
  return {
    message: plain(own.message ?? subjectFirst(message)) || 'It is not valid.',
    hint: plain(own.hint ?? hint),
  }
}

/** The place is named before the message: so a message that begins with the name of a field says "It". */
function subjectFirst(message: string): string {
  return message.replace(/^[a-z]\w* (?=is|has|does|must|cannot)/, 'It ')
}

function plain(text: string): string {
  const own = inCommands(text)
  return speaksHttp(own) ? '' : own
}
