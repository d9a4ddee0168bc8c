import { quoted } from '../../../../domain/quoted.ts'
import { isObject, type JsonObject } from '../../../strict-json.ts'
import { type Check, fail, pass } from '../result.ts'

/** The credential has exactly one subject, and it is the agent. */
export function checkSubject({ credentialSubject }: JsonObject, agentDid: string): Check {
  if (!isObject(credentialSubject)) {
    const actual = Array.isArray(credentialSubject) ? 'a list' : 'missing or not an object'
    return fail('subject', `credentialSubject must be one object with the agent's DID as id; it is ${actual}`)
  }
  const { id } = credentialSubject
  if (id !== agentDid) {
    const actual = id === undefined ? 'missing' : quoted(id)
    return fail('subject', `credentialSubject.id must be ${agentDid}; it is ${actual}`)
  }
  return pass('subject', `credentialSubject.id is ${agentDid}`)
}
