import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function PrivacyPage(): ReactElement {
  return <PageHeading title="Privacy" />
}
