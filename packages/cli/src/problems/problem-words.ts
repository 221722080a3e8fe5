import type { ProblemCodeName } from '@hookline/server/problem-codes'
import type { EXIT_CODES } from '../failure.ts'

/** How the command tells an error of the management API. */
export interface ProblemWords {
  readonly meaning: keyof typeof EXIT_CODES
  readonly message: string
  /** What the user can do, where the response says nothing closer. */
  readonly hint: string
}

/** What to do about a token that the service does not accept. */
const TOKEN_HINT =
  'Give the file with the token of this service with --token-file, or its data folder with --data-dir, or set HOOKLINE_ADMIN_TOKEN.'

const AGAIN = 'Run the command again.'

/** The command and the service do not understand each other. */
const VERSIONS: ProblemWords = {
  meaning: 'failed',
  message: 'The service did not understand this command.',
  hint: '`hookline version` shows the version of the command: the service must have the same. Check too that --url has no path, and that no proxy changes requests.',
}

const CHANGED: ProblemWords = {
  meaning: 'failed',
  message: 'Another change was made at the same time.',
  hint: AGAIN,
}

/** Every error of the management API, in the words of the command. */
export const PROBLEM_WORDS: Readonly<Record<ProblemCodeName, ProblemWords>> = {
  invalid_json: VERSIONS,
  bad_request: VERSIONS,
  method_not_allowed: VERSIONS,
  unsupported_media_type: VERSIONS,
  invalid_query: { ...VERSIONS, meaning: 'usage' },
  invalid_body: { ...VERSIONS, meaning: 'usage' },
  invalid_cursor: {
    meaning: 'failed',
    message: 'The list cannot be continued: the service has been replaced meanwhile.',
    hint: AGAIN,
  },
  unauthorized: {
    meaning: 'auth',
    message: 'The token is missing or not valid.',
    hint: TOKEN_HINT,
  },
  forbidden: {
    meaning: 'auth',
    message: 'The role of the token does not allow this.',
    hint: 'Use a token with a higher role: viewers read, editors change things, admins manage tokens and data.',
  },
  csrf_token_missing: VERSIONS,
  not_found: {
    meaning: 'not found',
    message: 'The service does not have this.',
    hint: 'It may have been deleted. If the service is older than this command, it does not have the feature: `hookline version` shows the version of the command.',
  },
  request_timeout: {
    meaning: 'failed',
    message: 'The service did not get everything in time.',
    hint: `Check the network between here and the service. ${AGAIN}`,
  },
  conflict: CHANGED,
  version_mismatch: CHANGED,
  request_under_way: CHANGED,
  response_not_kept: CHANGED,
  idempotency_key_reused: CHANGED,
  wrong_state: {
    meaning: 'failed',
    message: 'This is not possible at the moment.',
    hint: AGAIN,
  },
  no_backup_file: {
    meaning: 'failed',
    message: 'The service makes no backup file, because it runs on a cluster.',
    hint: 'Back up PostgreSQL with pg_dump, and the stream of NATS with `nats stream backup`.',
  },
  wrong_node: {
    meaning: 'failed',
    message: 'This node of the cluster does not serve the management API.',
    hint: 'Give the address of a node whose setting role is api or all (--url).',
  },
  body_too_large: {
    meaning: 'usage',
    message: 'This is more than the service takes at once: 1 MB, or 32 MB of configuration.',
    hint: 'Give a smaller file or fewer values.',
  },
  rate_limited: {
    meaning: 'failed',
    message: 'Too many requests were made with this token.',
    hint: 'Wait some seconds. `hookline start --admin-rate-limit` sets how many are allowed per second.',
  },
  too_many_wrong_tokens: {
    meaning: 'auth',
    message: 'Too many requests with a wrong token came from this machine.',
    hint: TOKEN_HINT,
  },
  headers_too_large: {
    meaning: 'usage',
    message: 'The token is too long.',
    hint: TOKEN_HINT,
  },
  internal_error: {
    meaning: 'failed',
    message: 'The service failed with an unexpected error.',
    hint: 'The log of the service has the cause.',
  },
  unavailable: {
    meaning: 'unreachable',
    message: 'The database of the service is not available at the moment.',
    hint: 'Try again in some seconds. If it stays so, run `hookline doctor` on the machine of the service.',
  },
}
