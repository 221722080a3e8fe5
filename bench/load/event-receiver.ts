import { numberIn } from './calls.ts'
import { RawReceiver } from './raw-receiver.ts'

/** A webhook receiver that reports the number of each event. */
export class EventReceiver implements AsyncDisposable {
  #receiver: RawReceiver | undefined
  onEvent: (number: number | undefined) => void = () => undefined
  /** Receives the body of each event that is not from a load. Must not keep the buffer. */
  onOther: (body: Buffer) => void = () => undefined
  /** Responds with 500 while true. */
  isRefusing = false

  async open(): Promise<this> {
    this.#receiver = await RawReceiver.open((body) => {
      const number = numberIn(body)
      if (number === undefined) this.onOther(body)
      this.onEvent(number)
      return !this.isRefusing
    })
    return this
  }

  urlOf(path: string): string {
    return this.#receiver!.urlOf(path)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#receiver?.[Symbol.asyncDispose]()
  }
}
