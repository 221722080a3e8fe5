// The release after the next one: its second step removes what nodes of the next one do not use, and those before it do.
import { addStep } from './add-step.ts'

addStep('ALTER TABLE deliveries ADD note text; CREATE TABLE added (id txt PRIMARY KEY)')
addStep('DROP TABLE added')
