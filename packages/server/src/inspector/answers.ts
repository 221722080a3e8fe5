/** What the inspector is set to respond. */
export interface Answers {
  /** 200 to 599. */
  readonly status: number
  /** How long each response is delayed. */
  readonly delayMs: number
  /** How many attempts of each delivery get `status`; later ones get 200. `null`: all of them. */
  readonly failFirst: number | null
}

/** Those of a service that has just started. */
export const FIRST_ANSWERS: Answers = { status: 200, delayMs: 0, failFirst: null }

/** The status for the attempt with this number, which counts from 1; a request without a number counts as the first. */
export function statusFor({ status, failFirst }: Answers, attempt: number | null): number {
  return failFirst === null || (attempt ?? 1) <= failFirst ? status : 200
}
