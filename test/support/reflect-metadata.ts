// @peculiar/x509 needs the reflect-metadata polyfill, but its classes have no metadata. So these
// two functions are enough.
Object.assign(Reflect, { getMetadata: () => undefined, getOwnMetadata: () => undefined })
