import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'

const ADDRESS =
  'Check --url or HOOKLINE_URL: give the address that `hookline start` prints, without a path.'
const LATER =
  'Try again in some seconds. If it stays so, run `hookline doctor` on the machine of the service.'
const VERSIONS =
  '`hookline version` shows the version of the command: the service must have the same. Check too that no proxy changes requests.'

/** What a user of the command can do, where the help of a code is for programs that send requests. */
const HINTS: Readonly<Partial<Record<IngestCodeName, string>>> = {
  invalid_json: VERSIONS,
  not_an_object: VERSIONS,
  empty_batch: VERSIONS,
  no_user_anon_id: 'Give --user or --anonymous.',
  id_required: 'group needs --group; alias needs --user and --previous.',
  event_not_defined: 'Give a name: `hookline send track "Order Completed" --user u1`.',
  unknown_write_key:
    '`hookline sources list` shows the write keys. Give one with --write-key or HOOKLINE_WRITE_KEY.',
  source_disabled:
    '`hookline sources update <id> --enabled` enables it. `hookline sources list` shows its id.',
  rate_limited:
    'Wait some seconds. `hookline sources update <id> --rate-limit <calls>` raises the limit; none removes it.',
  overloaded: LATER,
  not_found: ADDRESS,
  method_not_allowed: ADDRESS,
  bad_request: ADDRESS,
  wrong_host: ADDRESS,
  wrong_node: 'Give the address of a node whose setting role is ingest or all (--url).',
  request_timeout: 'Check the network between here and the service, and try again.',
  headers_too_large: 'Check --write-key: it is too long.',
  internal_error: 'Try again. The log of the service has the cause.',
}

const MESSAGES: Readonly<Partial<Record<IngestCodeName, string>>> = {
  invalid_json: 'The service could not read what the command sent.',
  not_found: 'The service has nothing at this address.',
  method_not_allowed: 'The service has nothing at this address.',
}

/** An error of the ingestion API in the words of the command. */
export function sendingWords(code: IngestCodeName): {
  readonly message: string
  readonly hint: string
} {
  const { message, help } = INGEST_CODES[code]
  return { message: MESSAGES[code] ?? message, hint: HINTS[code] ?? help }
}
