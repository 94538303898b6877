export const escapeUndrawable = (text: string) => text.normalize('NFC');
