import type { Signals } from '../signals.ts'

const NOTHING = (): void => undefined

/** One process is the whole service: there are no other nodes. */
export class SignalsOfOne implements Signals {
  tell(): void {
    // There are no other nodes.
  }

  onTold(): () => void {
    return NOTHING
  }

  onMissed(): () => void {
    return NOTHING
  }

  async ask(): Promise<readonly unknown[]> {
    return []
  }

  onAsked(): () => void {
    return NOTHING
  }

  read(): Disposable {
    return { [Symbol.dispose]: NOTHING }
  }

  onRead(): () => void {
    return NOTHING
  }
}
