import { SecretBox } from '../../../server/src/util/secrets/secret-box.ts'

export function newSecretBox(): SecretBox {
  return new SecretBox(SecretBox.keysIn(SecretBox.newKey())!)
}
