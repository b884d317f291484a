"""Documents with planted names, made from a seed: ten languages, twenty-two places of a name in each."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from quire.models.cdom.tree import Tree
from tests.models.pii.trees import grid, paragraph, tree

_EN = (("Harriet", "Colbourne"), ("Desmond", "Achterberg"), ("Priya", "Ramanathan"), ("Callum", "Drysdale"))
_DE = (("Friedhelm", "Kratzer"), ("Annegret", "Wiesinger"), ("Jörg", "Oberländer"), ("Mechthild", "Brandt"))
_FR = (("Mathilde", "Garnier"), ("Thierry", "Quémener"), ("Yannick", "Delacroix"), ("Solène", "Barthélemy"))
_ES = (("Rocío", "Villanueva"), ("Ignacio", "Etxebarria"), ("Fermín", "Caballero"), ("Remedios", "Ortuño"))
_IT = (("Gaetano", "Scalfaro"), ("Ludovica", "Bernasconi"), ("Massimo", "Pellegrini"), ("Fiorella", "Zanetti"))
_NL = (("Maartje", "Hoekstra"), ("Gijs", "Vermeulen"), ("Anneke", "Brouwer"), ("Wouter", "Terpstra"))
_PL = (("Grzegorz", "Wrzosek"), ("Bożena", "Sadowska"), ("Tadeusz", "Lipiński"), ("Małgorzata", "Cichocka"))
_CS = (("Vlastimil", "Hrubý"), ("Zdeňka", "Pospíšilová"), ("Radek", "Vaněk"), ("Jarmila", "Kubíčková"))
_RU = (("Геннадий", "Лаптев"), ("Людмила", "Зайцева"), ("Виктор", "Носков"), ("Тамара", "Белова"))
_FI = (("Pekka", "Rautiainen"), ("Marjatta", "Koskela"), ("Jouni", "Hakala"), ("Sirpa", "Lehtonen"))
_IN_CASE = {
    "pl": ("Grzegorzowi Wrzoskowi", "Bożenie Sadowskiej", "Tadeuszem Lipińskim", "Małgorzatę Cichocką"),
    "cs": ("Vlastimilem Hrubým", "Zdeňce Pospíšilové", "Radkovi Vaňkovi", "Jarmilou Kubíčkovou"),
    "ru": ("Геннадием Лаптевым", "Людмиле Зайцевой", "Виктору Носкову", "Тамарой Беловой"),
    "fi": ("Pekan Rautiaisen", "Marjatalle Koskelalle", "Jounilta Hakalalta", "Sirpan Lehtosen"),
    "de": ("Friedhelm Kratzers", "Annegret Wiesingers", "Jörg Oberländers", "Mechthild Brandts"),
}
_WORDS = {
    "en": (
        "Dear {t} {f},", "Mr|Mrs", "Kind regards,", "Name", "First name", "Surname", "From", "Present", "Contact", "Prepared by",
        "{n} reported that the Budget is ready.", "The Committee asked {n} to send the Report.", "Signature", "Author", "Role",
        "The Board approved the Plan of the Quarter. All Departments send their Figures to the Office by the end of the month.",
    ),
    "de": (
        "Sehr geehrte Damen und Herren, {t} {f},", "Herr|Frau", "Mit freundlichen Grüßen", "Name", "Vorname", "Nachname", "Von", "Anwesend",
        "Ansprechpartner", "Bearbeiter", "{n} berichtet über den Stand der Arbeiten.", "Der Ausschuss bittet {n} um den Bericht.",
        "Unterschrift", "Verfasser", "Aufgabe",
        "Der Vorstand hat den Plan des Quartals beschlossen. Alle Abteilungen senden ihre Zahlen bis zum Ende des Monats an das Büro.",
    ),
    "fr": (
        "Cher {t} {f},", "Monsieur|Madame", "Cordialement,", "Nom", "Prénom", "Nom de famille", "De", "Présents", "Contact", "Rédigé par",
        "{n} présente le budget de la Direction.", "Le Comité demande à {n} d'envoyer le Rapport.", "Signature", "Auteur", "Fonction",
        "Le Conseil a approuvé le Plan du Trimestre. Les Services envoient leurs chiffres au Bureau avant la fin du mois.",
    ),
    "es": (
        "Estimado {t} {f}:", "Sr.|Sra.", "Atentamente,", "Nombre", "Nombre", "Apellidos", "De", "Asistentes", "Contacto", "Elaborado por",
        "{n} presenta el presupuesto de la Dirección.", "El Comité pide a {n} que envíe el Informe.", "Firma", "Autor", "Cargo",
        "El Consejo aprobó el Plan del Trimestre. Los Departamentos envían sus cifras a la Oficina antes de fin de mes.",
    ),
    "it": (
        "Gentile {t} {f},", "Sig.|Dott.ssa", "Cordiali saluti", "Nome", "Nome", "Cognome", "Da", "Presenti", "Referente", "Redatto da",
        "{n} presenta il bilancio della Direzione.", "Il Comitato chiede a {n} di inviare la Relazione.", "Firma", "Autore", "Ruolo",
        "Il Consiglio ha approvato il Piano del Trimestre. I Reparti inviano i dati alla Segreteria entro la fine del mese.",
    ),
    "nl": (
        "Geachte {t} {f},", "heer|mevrouw", "Met vriendelijke groet,", "Naam", "Voornaam", "Achternaam", "Van", "Aanwezig", "Contactpersoon",
        "Opgesteld door", "{n} licht de begroting toe.", "De Commissie vraagt {n} om het Verslag.", "Handtekening", "Auteur", "Functie",
        "Het Bestuur heeft het Plan van het Kwartaal vastgesteld. Alle Afdelingen sturen hun cijfers voor het einde van de maand.",
    ),
    "pl": (
        "Szanowny {t} {f},", "Pan|Pani", "Z poważaniem", "Imię i nazwisko", "Imię", "Nazwisko", "Od", "Obecni", "Osoba do kontaktu", "Sporządził",
        "{n} przedstawia plan budżetu Zakładu.", "Komisja prosi, aby {n} wysłał Raport.", "Podpis", "Autor", "Stanowisko",
        "Zarząd przyjął Plan Kwartału. Wszystkie Działy przesyłają dane do Biura do końca miesiąca.",
    ),
    "cs": (
        "Vážený {t} {f},", "pan|paní", "S pozdravem", "Jméno", "Jméno", "Příjmení", "Od", "Přítomni", "Vyřizuje", "Zpracoval",
        "{n} předkládá rozpočet Odboru.", "Výbor žádá, aby {n} zaslal Zprávu.", "Podpis", "Autor", "Funkce",
        "Rada schválila Plán Čtvrtletí. Všechny Odbory pošlou údaje Kanceláři do konce měsíce.",
    ),
    "ru": (
        "Уважаемый {t} {f}!", "господин|госпожа", "С уважением,", "ФИО", "Имя", "Фамилия", "От", "Присутствовали", "Контакт", "Составил",
        "{n} представляет бюджет Отдела.", "Комитет просит, чтобы {n} прислал Отчёт.", "Подпись", "Автор", "Должность",
        "Совет утвердил План Квартала. Все Отделы присылают данные в Канцелярию до конца месяца.",
    ),
    "fi": (
        "Hyvä {t} {f},", "herra|rouva", "Ystävällisin terveisin", "Nimi", "Etunimi", "Sukunimi", "Lähettäjä", "Läsnä", "Yhteyshenkilö", "Laatija",
        "{n} esittelee talousarvion.", "Toimikunta pyytää, että {n} lähettää Raportin.", "Allekirjoitus", "Tekijä", "Tehtävä",
        "Hallitus hyväksyi Neljänneksen Suunnitelman. Kaikki Osastot lähettävät luvut Toimistoon kuun loppuun mennessä.",
    ),
}  # fmt: skip
_PEOPLE = {"en": _EN, "de": _DE, "fr": _FR, "es": _ES, "it": _IT, "nl": _NL, "pl": _PL, "cs": _CS, "ru": _RU, "fi": _FI}
LANGUAGES = tuple(_PEOPLE)
VARIANTS = 22
LONG = 8
"""Paragraphs without a name in a document."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A document and the names that must not be left in it."""

    name: str
    tree: Tree
    values: tuple[str, ...]


def make_planted(language: str, seed: int = 0) -> Iterator[Planted]:
    """Yield a document for each place of a name: letters, CVs, forms, tables, mails, minutes and mentions."""
    dice = random.Random(f"{language}{seed}")
    (
        dear, titles, regards, name, first_name, last_name, sender, present, contact, prepared, reports, asks, signature,
        author, role, prose,
    ) = _WORDS[language]  # fmt: skip
    people = list(_PEOPLE[language])
    for place in range(VARIANTS):
        number = dice.randrange(len(people))
        (given, family), (given_2, family_2) = people[number], people[(number + 1) % len(people)]
        full, full_2, title = f"{given} {family}", f"{given_2} {family_2}", titles.split("|")[number % 2]
        in_case = _IN_CASE[language][number] if language in _IN_CASE else full
        again = prose.partition(". ")[0]
        places: tuple[tuple[str | list[list[str]], ...], ...] = (
            (dear.format(t=title, f=family),),
            (regards, full),
            (f"{regards}\n{full}\n{role}",),
            ("Curriculum vitae", full, f"1994 - 2007 {role}"),
            (f"{name}: {full}",),
            (f"{first_name}: {given}", f"{last_name}: {family}"),
            ([[name, role], [full, "A"], [full_2, "B"]],),
            ([[first_name, last_name, role], [given, family, "A"]],),
            (f"{sender}: {full} <{given[0]}.{family}@mail.example.org>",),
            (f"{present}: {full}, {full_2}",),
            (present, full, full_2),
            (f"{contact}: {full}",),
            (f"{prepared} {full}",),
            (reports.format(n=full),),
            (asks.format(n=full),),
            (reports.format(n=in_case),),
            (full.upper(), again.upper()),
            (f"{signature}: {given[0]}. {family}",),
            (f"{author}: {family}, {given}",),
            (reports.format(n=full), asks.format(n=family)),
            (f"{family.upper()} {given}",),
            (reports.format(n=f"{title} {family}"),),
        )
        blocks = [paragraph(number, prose) for number in range(LONG)]
        for line in places[place]:
            blocks.append(paragraph(len(blocks), line) if isinstance(line, str) else grid(len(blocks), *line))
        blocks.append(paragraph(len(blocks), prose))
        shown = " ".join(map(str, places[place]))
        parts = (*in_case.split(), given, family, given_2, family_2, given.upper(), family.upper())
        values = tuple(dict.fromkeys(part for part in parts if re.search(rf"(?<!\w){part}(?!\w)", shown)))
        yield Planted(f"{language}-{place}", tree(*blocks), values)
