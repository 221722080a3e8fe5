/** A call to a thread that has ended, or that ended before it responded. It may have done what the call asks, or not. */
export class ThreadGone extends Error {
  override readonly name = 'ThreadGone'

  constructor(options?: ErrorOptions) {
    super('The thread has ended before it responded.', options)
  }
}
