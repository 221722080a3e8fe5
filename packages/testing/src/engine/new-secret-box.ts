import { SecretBox } from '../../../server/src/util/secrets/secret-box.ts'

/** A box with a new random key. */
export function newSecretBox(): SecretBox {
  return new SecretBox(SecretBox.keysIn(SecretBox.newKey())!)
}
