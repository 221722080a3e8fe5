import type { Signals } from '../signals.ts'

const NOTHING = (): void => undefined

/** One process is the whole service: there is nobody to tell or to ask. */
export class SignalsOfOne implements Signals {
  tell(): void {
    // Nobody hears it.
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
