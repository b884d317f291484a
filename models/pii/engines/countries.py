"""Names of countries and states in English: a tagger of towns does not know them."""

COUNTRIES = (
    "Republic of the Congo|Afghanistan|Albania|Algeria|Andorra|Angola|Argentina|Armenia|Australia|Austria"
    "|Azerbaijan|Bahamas|Bahrain|Bangladesh|Barbados|Belarus|Belgium|Belize|Benin|Bhutan|Bolivia|Bosnia|Botswana"
    "|Brazil|Brunei|Bulgaria|Burkina Faso|Burundi|Cambodia|Cameroon|Canada|Cape Verde|Chile|China|Colombia|Comoros"
    "|Congo|Costa Rica|Croatia|Cuba|Cyprus|Czechia|Czech Republic|Denmark|Djibouti|Dominica|Dominican Republic"
    "|Ecuador|Egypt|El Salvador|Eritrea|Estonia|Eswatini|Ethiopia|Faroe Islands|Fiji|Finland|France|Gabon|Gambia"
    "|Germany|Ghana|Greece|Greenland|Grenada|Guatemala|Guinea|Guyana|Haiti|Honduras|Hong Kong|Hungary|Iceland|India"
    "|Indonesia|Iran|Iraq|Ireland|Israel|Italy|Ivory Coast|Jamaica|Japan|Kazakhstan|Kenya|Kiribati|Kosovo|Kuwait"
    "|Kyrgyzstan|Laos|Latvia|Lebanon|Lesotho|Liberia|Libya|Liechtenstein|Lithuania|Luxembourg|Madagascar|Malawi"
    "|Malaysia|Maldives|Malta|Marshall Islands|Mauritania|Mauritius|Mexico|Micronesia|Moldova|Monaco|Mongolia"
    "|Montenegro|Morocco|Mozambique|Myanmar|Namibia|Nauru|Nepal|Netherlands|New Zealand|Nicaragua|Nigeria"
    "|North Korea|North Macedonia|Norway|Oman|Pakistan|Palau|Palestine|Panama|Papua New Guinea|Paraguay|Peru"
    "|Philippines|Poland|Portugal|Puerto Rico|Qatar|Romania|Russia|Rwanda|Saint Lucia|Samoa|San Marino|Saudi Arabia"
    "|Scotland|Senegal|Serbia|Seychelles|Sierra Leone|Singapore|Slovakia|Slovenia|Somalia|South Africa|South Korea"
    "|South Sudan|Spain|Sri Lanka|Sudan|Suriname|Sweden|Switzerland|Syria|Taiwan|Tajikistan|Tanzania|Thailand|Togo"
    "|Tonga|Trinidad and Tobago|Tunisia|Turkmenistan|Tuvalu|Uganda|Ukraine|United Arab Emirates|United Kingdom"
    "|United States of America|United States|Uruguay|Uzbekistan|Vanuatu|Vatican City|Venezuela|Vietnam|Wales|Yemen"
    "|Zambia|Zimbabwe"
)

STATES = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Hawaii|Idaho|Illinois|Indiana"
    "|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana"
    "|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon"
    "|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|West Virginia|Wisconsin"
    "|Wyoming"
)
"""Of the United States; those whose names are people's as well are left out."""
